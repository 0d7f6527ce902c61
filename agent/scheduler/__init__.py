"""The compute scheduler: how much thought is this step worth? Pure: clock, nonce and key are handed in."""
