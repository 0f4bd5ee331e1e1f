git init --quiet ~/shop
cd ~/shop
mkdir -p docs/ops
cat >docs/packing.md <<'END'
# Packing

## Fragile articles

Fragile articles are packed in two boxes, one inside the other.
END
cat >docs/ops/carriers.rst <<'END'
Carriers
========

Heavy parcels
-------------

Parcels above 30 kg travel with the freight line, on Tuesdays.
END
: > docs/plan.png
