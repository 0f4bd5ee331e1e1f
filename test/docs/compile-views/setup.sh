. "$(dirname "${BASH_SOURCE[0]}")/../first-pack/setup.sh"
loadout packs new --from docs
loadout approve shop-docs
