"""A phone: another central, which holds a BLE printer so that nobody else can connect."""

from bumble import hci
from bumble.device import Device, DeviceConfiguration

from air import Controller


class Phone:
    async def open(self):
        self.controller = await Controller().open()

    async def start(self):
        config = DeviceConfiguration(name="Rig phone", le_enabled=True, classic_enabled=False)
        self.device = Device.from_config_with_hci(config, self.controller, self.controller)
        await self.device.power_on()

    async def connect(self, address):
        self.connection = await self.device.connect(
            hci.Address(address, hci.Address.PUBLIC_DEVICE_ADDRESS),
            own_address_type=hci.OwnAddressType.PUBLIC, timeout=10)

    async def disconnect(self):
        await self.connection.disconnect()

    async def ctl(self, verb, *args):
        await {"connect": self.connect, "disconnect": self.disconnect}[verb](*args)
