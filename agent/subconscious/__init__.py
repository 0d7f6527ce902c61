"""Five modules below notice, each with a switch: S1 implicit learning, S2 pre-activation, S3 patterns, S4 conflict, S5 feeling."""
