"""Printers on Bluetooth Low Energy."""

import asyncio
import logging

from bumble import att, data_types, hci
from bumble.core import UUID, AdvertisingData, PhysicalTransport
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.pairing import PairingConfig, PairingDelegate

from printer import Printer

WRITE_OR_COMMAND = (
    Characteristic.Properties.WRITE | Characteristic.Properties.WRITE_WITHOUT_RESPONSE
)
ISSC = "49535343-{}".format


class LowEnergy(Printer):
    """Print data by writes, of both kinds, to a characteristic; answers by notifications.

    Where there are several services, whatever a host writes to any of them is printed.
    """

    SERVICES = {"18F0": ("2AF1", "2AF0")}  # service: (write, notify)
    ADVERTISED = ["18F0"]
    FLAGS = 0x06  # general discovery, no BR/EDR
    MTU = 517
    NEEDS_BOND = False

    def setup(self):
        super().setup()
        server = self.device.gatt_server
        server.max_mtu = self.MTU
        self.notifiers = []
        self.airing = asyncio.Lock()  # beginning and ending the advertisement takes several commands
        self.accepts_notify = True
        self.subscribe, server.write_cccd = server.write_cccd, self.write_cccd
        self.answers_discovery = True
        self.discover = server.on_att_read_by_group_type_request
        server.on_att_read_by_group_type_request = self.discovered
        command = server.on_att_write_command
        server.on_att_write_command = lambda bearer, pdu: self.command(command, bearer, pdu)
        for service, (write, notify) in self.SERVICES.items():
            self.device.add_service(Service(service, [self.notifier(notify), self.sink(write)]))
        self.device.advertising_data = self.advertisement()
        self.device.pairing_config_factory = lambda _: PairingConfig(
            mitm=False, delegate=PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT)
        )

    def advertisement(self):
        parts = [data_types.Flags(self.FLAGS), data_types.CompleteLocalName(self.device.name)]
        if self.ADVERTISED:
            uuids = [UUID(uuid) for uuid in self.ADVERTISED]
            parts.append(data_types.CompleteListOf16BitServiceUUIDs(uuids))
        return bytes(AdvertisingData(parts))

    def notifier(self, uuid):
        notifier = Characteristic(
            uuid, Characteristic.Properties.NOTIFY, Characteristic.READABLE
        )
        self.notifiers.append(notifier)
        return notifier

    def sink(self, uuid):
        return Characteristic(
            uuid, WRITE_OR_COMMAND, Characteristic.WRITEABLE, CharacteristicValue(write=self.written)
        )

    def command(self, handler, bearer, pdu):
        """A write command, unlike a request, is lost when there is no room for it."""
        attribute = self.device.gatt_server.get_attribute(pdu.attribute_handle)
        value = attribute and attribute.value
        if not isinstance(value, CharacteristicValue):
            handler(bearer, pdu)
        elif not self.NEEDS_BOND or bearer.encryption:
            self.paper.take(pdu.attribute_value, may_lose=True)

    async def written(self, connection, data):
        """A write request is answered when there is room for what it has brought."""
        if self.NEEDS_BOND and not connection.encryption:
            raise att.ATT_Error(att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR)
        await self.paper.take(data)

    def write_cccd(self, bearer, characteristic, value):
        if not self.accepts_notify and value != b"\0\0":
            raise att.ATT_Error(att.ATT_WRITE_NOT_PERMITTED_ERROR)
        return self.subscribe(bearer, characteristic, value)

    def discovered(self, bearer, request):
        if self.answers_discovery:
            self.discover(bearer, request)

    async def answer(self, connection, data):
        size = connection.att_mtu - 3
        for at in range(0, len(data), size):
            for notifier in self.notifiers:
                await self.device.notify_subscriber(connection, notifier, data[at : at + size])

    def connected(self, connection):
        super().connected(connection)
        if connection.transport == PhysicalTransport.LE:
            self.paper.link(lambda data: self.answer(connection, data))

    def disconnected(self, connection, reason):
        super().disconnected(connection, reason)
        if connection.transport == PhysicalTransport.LE:
            self.paper.unlink()
            # Connecting has ended the advertisement.
            asyncio.create_task(self.advertise())

    async def advertise(self):
        async with self.airing:
            if self.visible and not self.device.is_advertising:
                await self.device.start_advertising(own_address_type=hci.OwnAddressType.PUBLIC)

    async def show(self):
        await super().show()
        await self.advertise()

    async def unshow(self):
        await super().unshow()
        async with self.airing:
            await self.device.stop_advertising()

    async def ctl_reset(self):
        await super().ctl_reset()
        self.device.gatt_server.max_mtu = self.MTU
        self.accepts_notify = self.answers_discovery = True

    async def ctl_mtu(self, mtu):
        self.device.gatt_server.max_mtu = int(mtu)

    async def ctl_notify(self, word):
        self.accepts_notify = word == "on"

    async def ctl_discovery(self, word):
        self.answers_discovery = word == "on"


class BlePrinter(LowEnergy):
    """The service of most cheap printers, advertised."""

    CONFIG = dict(le_enabled=True)


class IsscPrinter(LowEnergy):
    """A module of ISSC's: two services, an MTU of 185, and nothing advertised but a name."""

    CONFIG = dict(le_enabled=True)
    SERVICES = {
        ISSC("FE7D-4AE5-8FA9-9FAFD205E455"): (
            ISSC("8841-43F4-A8D4-ECBE34729BB3"),
            ISSC("1E4D-4BD9-BA61-23C647249616"),
        ),
        "FF00": ("FF02", "FF01"),
    }
    ADVERTISED = []
    MTU = 185

    def setup(self):
        self.device.name = "MPT-II"
        super().setup()


class BondPrinter(LowEnergy):
    """One that takes print data on an encrypted link only, and pairs without asking."""

    CONFIG = dict(le_enabled=True)
    NEEDS_BOND = True
