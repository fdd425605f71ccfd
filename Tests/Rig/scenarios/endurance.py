"""Two hundred wakes on each kind of link, while bluetoothd restarts and links drop: every order once on paper, or unknown."""

import collections
import json
import random
import subprocess
import threading
import time

from guest import RIG, ctl, say, until
from shop import Sheets
from scenarios.base import LINKS, Scenario

WAKES, RESTARTS, DROPS = 200, 5, 10


class Endurance(Scenario):
    def test_both_links(self):
        """200 wakes on BLE and Classic, with 5 restarts of bluetoothd, and 10 lost links on each."""
        daemon = self.daemon_for_both(budget=9)
        sheets = {name: Sheets(name) for name in LINKS}
        chance = random.Random(1)
        # What happens at which wake, spread over all of them.
        events = ["restart"] * RESTARTS + list(LINKS) * DROPS
        chance.shuffle(events)
        at = {(n + 1) * WAKES // (len(events) + 1): event for n, event in enumerate(events)}
        completions = {name: collections.Counter() for name in LINKS}
        orders, seconds = [], []
        since = time.monotonic()
        for n in range(WAKES):
            order = self.shop.sell(chance.randint(1, 30))
            orders.append(order)
            act = None
            if event := at.get(n):
                # In the middle of the wake, wherever that may be.
                act = threading.Timer(chance.uniform(0, 0.2), self.disturb, [event])
                act.start()
            completion = daemon.wake(order)
            if act:
                act.join()
            for job in completion["jobs"]:
                completions[job["printer"]][job["outcome"]] += 1
                if job["outcome"] != "printed":
                    say(f"   {job['printer']}, wake {n}, {event}: {job['outcome']} ({job.get('reason')}) "
                        f"after {completion['seconds']:.2f} s")
            seconds.append(completion["seconds"])
            self.assertInTime(completion)
        took = time.monotonic() - since
        jobs = self.all_settled(daemon)
        for name in LINKS:
            own = {job["order_id"]: job for job in jobs if job["printer"] == name}
            self.assertEqual(sorted(own), orders)
            paper = collections.Counter("\n".join(sheets[name].texts()).split())
            for order, job in own.items():
                reports = [r["outcome"] for r in self.shop.reports(order) if r["printer"] == name]
                if job["state"] == "printed":
                    self.assertEqual((paper[order], reports[-1:]), (1, ["printed"]), f"{job}, {reports}")
                else:
                    self.assertLessEqual(paper[order], 1, job)
                    self.assertEqual(reports, ["unknown"], job)
            states = collections.Counter(job["state"] for job in own.values())
            say(f"   {name}: {WAKES} wakes, {RESTARTS} restarts, {DROPS} lost links: completions "
                f"{dict(completions[name])}, jobs {dict(states)}, none lost, none twice on paper")
        seconds.sort()
        say(f"   all in {took:.0f} s; wake to completion p50 {seconds[WAKES // 2]:.3f} s, longest {seconds[-1]:.2f} s")

    def all_settled(self, daemon):
        def jobs():
            jobs = daemon.ask("GET", "/v1/jobs?all=1")["jobs"]
            return all(job["state"] in ("printed", "unknown") and job.get("reported_at") for job in jobs) and jobs

        return until("the end of all jobs", 90, jobs)

    def disturb(self, event):
        if event == "restart":
            subprocess.run([RIG + "/bluetoothd", "restart"], check=True)
        else:
            ctl(event, "drop")
