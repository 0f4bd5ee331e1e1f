loadout update changelog
loadout remove changelog --yes
loadout sync
loadout import
loadout doctor
loadout agents-md --write
loadout mcp </dev/null
loadout mcp --http --port 0 >/dev/null 2>~/said-1 & until grep -q http: ~/said-1; do kill -0 $! || exit 1; sleep 0.1; done; kill $!
loadout web --port 0 >/dev/null 2>~/said-2 & until grep -q http: ~/said-2; do kill -0 $! || exit 1; sleep 0.1; done; kill $!
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
