import { query } from './store/database.js'

/** One parcel with its events, the newest first. */
export async function findParcel(number) {
  const [parcel] = await query('select * from parcels where number = $1', [number])
  if (parcel === undefined) throw Object.assign(new Error(`no parcel ${number}`), { status: 404 })
  const events = await query('select * from events where parcel = $1 order by at desc', [parcel.id])
  return { ...parcel, events, state: stateOf(events) }
}

const MOST = 100

export async function listParcels(numbers) {
  if (numbers.length > MOST) throw Object.assign(new Error(`at most ${MOST} numbers`), { status: 400 })
  return Promise.all(numbers.map(findParcel))
}

/** The last event decides, unless the parcel was handed back: that is never undone. */
function stateOf(events) {
  if (events.some(({ kind }) => kind === 'returned')) return 'returned'
  return events[0]?.kind ?? 'announced'
}
