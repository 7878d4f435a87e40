"""What a BMC answers over Redfish: resources worked out from the world when asked for, and actions."""
