"""The settings of the Dagster instance, `dagster.yaml`; `relore_assets.settings` sets the names it reads."""
