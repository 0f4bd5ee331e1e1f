const KINDS = {
  north: { 10: 'announced', 20: 'collected', 40: 'on the way', 60: 'delivered', 90: 'returned' },
  river: { A: 'announced', C: 'collected', T: 'on the way', D: 'delivered', R: 'returned' },
  harbour: { new: 'announced', in: 'collected', move: 'on the way', out: 'delivered', back: 'returned' },
}

/** The carriers agree on nothing: not on names, not on times. */
export function parseEvent(carrier, report) {
  const kind = KINDS[carrier][report.code ?? report.status ?? report.type]
  if (kind === undefined) throw Object.assign(new Error(`${carrier}: a code that is not known`), { status: 422 })
  return { parcel: report.parcel ?? report.number, kind, at: timeOf(carrier, report), source: `${carrier}:${report.id}` }
}

/** River sends local times without a zone; its depots are all in one. */
function timeOf(carrier, { time }) {
  return new Date(carrier === 'river' ? `${time}+01:00` : time).toISOString()
}
