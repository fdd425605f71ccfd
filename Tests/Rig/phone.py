"""A phone: another central, which holds a BLE printer so that nobody else can connect."""

import asyncio

from bumble import hci
from bumble.core import BaseBumbleError
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
        async with asyncio.timeout(10):
            while True:
                try:
                    self.connection = await self.device.connect(
                        hci.Address(address, hci.Address.PUBLIC_DEVICE_ADDRESS),
                        own_address_type=hci.OwnAddressType.PUBLIC, timeout=10)
                    return
                except BaseBumbleError:
                    # btvirt refuses at once where no advertisement is in the air; a phone goes on looking.
                    await asyncio.sleep(0.1)

    async def disconnect(self):
        if self.connection in self.device.connections.values():
            async with asyncio.timeout(10):
                await self.connection.disconnect()

    async def ctl(self, verb, *args):
        await {"connect": self.connect, "disconnect": self.disconnect}[verb](*args)
