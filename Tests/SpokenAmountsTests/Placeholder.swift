// Until the first file of these tests.
