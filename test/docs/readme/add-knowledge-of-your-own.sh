loadout sync
loadout import
loadout doctor
loadout agents-md --write
loadout mcp </dev/null
(loadout mcp --http --port 0 2>/dev/null & A=$!; loadout web --port 0 >/dev/null 2>&1 & sleep 1; kill $A $!)
cp docs/release.md CLAUDE.md; loadout index migrate CLAUDE.md || test $? = 2
loadout search "money back"
loadout explain refunds --task "a refund fails"
loadout index check
loadout usage
loadout plugin build --all --name kit --out ~/kit
mkdir ../more
cd ../more
loadout packs new prices --description "Prices and discounts."
loadout packs resolve "how to write a payload"
loadout help plan
loadout completion bash
