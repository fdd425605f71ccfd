"""Printers on Bluetooth Classic, and on both."""

import asyncio
import logging

from bumble import rfcomm
from bumble.core import BT_SERIAL_PORT_SERVICE
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.sdp import SDP_PSM, DataElement, Server, ServiceAttribute

from ble import LowEnergy
from printer import CLASS_IMAGING_PRINTER, Printer

SDP_SERVICE_NAME = 0x0100  # of the record's primary language
RECORD = 0x00010001


class Classic(Printer):
    """Print data and answers over RFCOMM; credits only while there is room."""

    CHANNEL = 3

    def setup(self):
        super().setup()
        self.channel = None
        self.links = set()
        self.server = rfcomm.Server(self.device)
        self.listen(self.CHANNEL)
        self.paper.changed = self.pace
        self.device.pairing_config_factory = lambda _: PairingConfig(
            mitm=False, delegate=self.pairing()
        )
        self.telling = 0  # seconds that the records take to be told
        self.device.l2cap_channel_manager.servers[SDP_PSM].handler = self.asked

    def asked(self, channel):
        """Gives each host a server of its own: Bumble's answers the last one that came, whoever asks."""
        server = Server(self.device)
        server.service_records = self.device.sdp_service_records
        server.channel = channel

        def tell(question):
            if channel.state == channel.State.OPEN:
                server.on_pdu(question)

        channel.sink = lambda question: asyncio.get_running_loop().call_later(self.telling, tell, question)

    def listen(self, channel):
        self.server.acceptors.pop(self.channel, None)
        self.server.dlc_configs.pop(self.channel, None)
        self.channel = channel
        self.server.listen(self.accepted, channel)
        record = rfcomm.make_service_sdp_records(RECORD, channel, BT_SERIAL_PORT_SERVICE)
        record.append(ServiceAttribute(SDP_SERVICE_NAME, DataElement.text_string(b"Serial Port")))
        self.device.sdp_service_records = {RECORD: record}

    def pairing(self):
        return PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT)

    def accepted(self, dlc):
        logging.info("%s: RFCOMM channel open", self.name)
        self.links.add(dlc)
        dlc.on("close", lambda: self.closed(dlc))
        dlc.multiplexer.l2cap_channel.on("close", lambda: self.closed(dlc))
        dlc.sink = self.paper.take

        async def answer(data):
            if dlc in self.links:
                dlc.write(data)

        self.paper.link(answer)
        self.pace()

    def closed(self, dlc):
        if dlc in self.links:
            logging.info("%s: RFCOMM channel closed", self.name)
            self.links.discard(dlc)
            self.paper.unlink()

    def disconnected(self, connection, reason):
        super().disconnected(connection, reason)
        for dlc in list(self.links):
            if dlc.multiplexer.l2cap_channel.connection is connection:
                self.closed(dlc)

    def pace(self):
        # No new credits while full or stalled: the sender must stop by itself.
        flows = self.paper.flowing.is_set() and not self.paper.is_full
        threshold = rfcomm.RFCOMM_DEFAULT_CREDIT_THRESHOLD if flows else -1
        for dlc in self.links:
            if dlc.rx_credits_threshold != threshold:
                dlc.rx_credits_threshold = threshold
                dlc.process_tx()

    async def show(self):
        await super().show()
        await self.device.set_discoverable(True)
        await self.device.set_connectable(True)

    async def unshow(self):
        await super().unshow()
        await self.device.set_discoverable(False)
        await self.device.set_connectable(False)

    async def ctl_reset(self):
        await super().ctl_reset()
        self.listen(self.CHANNEL)
        self.telling = 0

    async def ctl_records(self, milliseconds):
        self.telling = float(milliseconds) / 1000

    async def ctl_channel(self, channel):
        self.listen(int(channel))


class SppPrinter(Classic):
    """Serial Port, pairing by SSP "just works"."""

    CONFIG = dict(classic_enabled=True, class_of_device=CLASS_IMAGING_PRINTER)


class PinPrinter(Classic):
    """One from before SSP: pairs by a PIN."""

    CONFIG = dict(SppPrinter.CONFIG, classic_ssp_enabled=False)

    def __init__(self, name, out):
        super().__init__(name, out)
        self.pin = "0000"

    def pairing(self):
        printer = self

        class Pin(PairingDelegate):
            async def get_string(self, max_length):
                return printer.pin

        return Pin(PairingDelegate.KEYBOARD_INPUT_ONLY)

    async def ctl_reset(self):
        await super().ctl_reset()
        self.pin = "0000"

    async def ctl_pin(self, pin):
        self.pin = pin


class DualPrinter(LowEnergy, Classic):
    """Both bearers, at one address."""

    CONFIG = dict(SppPrinter.CONFIG, le_enabled=True)
    FLAGS = 0x02
