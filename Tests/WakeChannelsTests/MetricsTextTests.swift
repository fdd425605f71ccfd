import Testing
import WakeChannels

struct MetricsTextTests {
  @Test("Families have their help, type and escaped labels")
  func families() {
    var metrics = MetricsText()
    metrics.add(
      "printd_jobs", .gauge, "Jobs by state,\nin the journal \\ disk.",
      [
        (labels: [("state", "printed"), ("printer", "the \"till\"\n\\")], value: 3), (labels: [], value: 0.5),
      ])
    metrics.add("9 lives", .counter, "x", .infinity)
    #expect(
      metrics.text == """
        # HELP printd_jobs Jobs by state,\\nin the journal \\\\ disk.
        # TYPE printd_jobs gauge
        printd_jobs{state="printed",printer="the \\"till\\"\\n\\\\"} 3
        printd_jobs 0.5
        # HELP _9_lives x
        # TYPE _9_lives counter
        _9_lives +Inf

        """)
  }

  @Test("A histogram ends with its infinite bucket, sum and count")
  func histogram() {
    var metrics = MetricsText()
    metrics.addHistogram(
      "wake_seconds", "How long.", labels: [("result", "newData")], buckets: [(0.5, 1), (10, 4)], sum: 12.25,
      count: 5)
    #expect(
      metrics.text == """
        # HELP wake_seconds How long.
        # TYPE wake_seconds histogram
        wake_seconds_bucket{result="newData",le="0.5"} 1
        wake_seconds_bucket{result="newData",le="10"} 4
        wake_seconds_bucket{result="newData",le="+Inf"} 5
        wake_seconds_sum{result="newData"} 12.25
        wake_seconds_count{result="newData"} 5

        """)
  }
}
