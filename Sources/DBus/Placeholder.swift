// Until the first file of this target.
