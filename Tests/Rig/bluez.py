"""BlueZ on D-Bus as the rig's own programs need it, and an agent and a profile to go with it."""

import asyncio
import time

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, dbus_method

from guest import say

SERIAL_PORT = "00001101-0000-1000-8000-00805f9b34fb"


def path(address):
    return "/org/bluez/hci0/dev_" + address.replace(":", "_")


class Bluez:
    async def connect(self):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect()
        self.notified = asyncio.Queue()
        self.bus.add_message_handler(self.signal)
        await self.call("/org/freedesktop/DBus", "org.freedesktop.DBus.AddMatch", "s",
                        "type='signal',sender='org.bluez'", to="org.freedesktop.DBus")

    def signal(self, message):
        if message.member == "PropertiesChanged" and message.body[0].endswith("Characteristic1"):
            if value := message.body[1].get("Value"):
                self.notified.put_nowait(bytes(value.value))

    async def call(self, path, method, signature="", *body, to="org.bluez", fds=False):
        interface, member = method.rsplit(".", 1)
        reply = await self.bus.call(Message(
            destination=to, path=path, interface=interface, member=member,
            signature=signature, body=list(body)))
        if reply.message_type is MessageType.ERROR:
            raise RuntimeError(f"{method}: {reply.error_name}: {reply.body}")
        return (reply.unix_fds, reply.body) if fds else (reply.body or [None])[0]

    async def device(self, address, method, *arguments):
        return await self.call(path(address), "org.bluez.Device1." + method, *arguments)

    async def write(self, characteristic, data, kind):
        await self.call(characteristic, "org.bluez.GattCharacteristic1.WriteValue", "aya{sv}", data,
                        {"type": Variant("s", kind)})

    async def remove(self, address):
        await self.call("/org/bluez/hci0", "org.bluez.Adapter1.RemoveDevice", "o", path(address))

    async def objects(self):
        return await self.call("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects")

    async def get(self, address, name):
        objects = await self.objects()
        value = objects.get(path(address), {}).get("org.bluez.Device1", {}).get(name)
        return value and value.value

    async def until(self, what, seconds, probe):
        end = time.monotonic() + seconds
        while True:
            is_late = time.monotonic() > end
            if found := await probe():
                return found
            if is_late:
                raise TimeoutError(f"{what}: not within {seconds} s")
            await asyncio.sleep(0.05)

    async def register_agent(self):
        manager = "org.bluez.AgentManager1."
        await self.call("/org/bluez", manager + "RegisterAgent", "os", "/rig/agent", "KeyboardDisplay")
        await self.call("/org/bluez", manager + "RequestDefaultAgent", "o", "/rig/agent")

    async def has_adapter(self, wanted):
        adapter = (await self.objects()).get("/org/bluez/hci0", {}).get("org.bluez.Adapter1")
        return wanted == bool(adapter and adapter["Powered"].value)

    async def discover(self, transport, *addresses):
        await self.call("/org/bluez/hci0", "org.bluez.Adapter1.SetDiscoveryFilter", "a{sv}",
                        {"Transport": Variant("s", transport)})
        await self.call("/org/bluez/hci0", "org.bluez.Adapter1.StartDiscovery")
        for address in addresses:
            name = await self.until("discovery of " + address, 20, lambda: self.get(address, "Name"))
            say(f"discovered {address} {name!r} over {transport}")
        await self.call("/org/bluez/hci0", "org.bluez.Adapter1.StopDiscovery")

    async def connect_ble(self, address):
        """Connects, and returns the characteristics: path and properties, by the digits that tell them apart."""
        since = time.monotonic()
        while True:
            try:
                await self.device(address, "Connect")
                break
            except RuntimeError as error:
                # While the kernel still takes an old link down, connecting fails
                # with EBUSY, which bluetoothd hands on as "Input/output error".
                if time.monotonic() - since > 10:
                    raise
                say(f"connecting failed, once more: {error}")
                await asyncio.sleep(0.3)
        await self.until("services", 10, lambda: self.get(address, "ServicesResolved"))
        found = {}
        for at, interfaces in (await self.objects()).items():
            known = interfaces.get("org.bluez.GattCharacteristic1")
            if known and at.startswith(path(address)):
                uuid = known["UUID"].value
                found[uuid[4:8] if uuid.startswith("0000") else uuid[9:13]] = at, known
        return found


class Agent(ServiceInterface):
    """Says yes to all, and knows one PIN."""

    def __init__(self):
        super().__init__("org.bluez.Agent1")
        self.pin = "0000"

    @dbus_method()
    def Release(self): pass

    @dbus_method()
    def RequestPinCode(self, device: "o") -> "s":
        say("agent: asked for a PIN")
        return self.pin

    @dbus_method()
    def RequestConfirmation(self, device: "o", passkey: "u"):
        say("agent: asked to confirm")

    @dbus_method()
    def RequestAuthorization(self, device: "o"):
        say("agent: asked to authorize")

    @dbus_method()
    def AuthorizeService(self, device: "o", uuid: "s"):
        say("agent: asked to authorize a service")

    @dbus_method()
    def Cancel(self): pass


class Profile(ServiceInterface):
    """Hands on the RFCOMM links that bluetoothd brings."""

    def __init__(self):
        super().__init__("org.bluez.Profile1")
        self.links = asyncio.Queue()

    @dbus_method()
    def Release(self): pass

    @dbus_method()
    def NewConnection(self, device: "o", link: "h", properties: "a{sv}"):
        self.links.put_nowait(link)

    @dbus_method()
    def RequestDisconnection(self, device: "o"): pass
