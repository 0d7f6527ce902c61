"""The windows: play, replay, debug. They read what the log says and hand in inputs; they decide nothing."""
