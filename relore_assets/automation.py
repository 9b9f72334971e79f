"""What happens without being asked: downstream assets follow when their inputs move."""

from __future__ import annotations

import dagster as dg

#: Evaluates the assets' automation conditions. Dagster's own default sensor would be created stopped.
automation_sensor = dg.AutomationConditionSensorDefinition(
    name="follow_upstream",
    target=dg.AssetSelection.all(),
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=60,
)
