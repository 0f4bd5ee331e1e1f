git init --quiet ~/shop
cd ~/shop
loadout packs new refunds --description "How the shop pays money back: returns, deadlines, amounts, damaged parcels. Use for questions about refunds."
. "$(dirname "${BASH_SOURCE[0]}")/../write-a-pack/the-texts.sh"
loadout approve refunds
