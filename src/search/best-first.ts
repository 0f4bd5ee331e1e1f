/** Yields the items in the order `isBefore` defines, sorting no more than the caller takes. */
export function* bestFirst<T>(items: readonly T[], isBefore: (a: T, b: T) => boolean): Generator<T> {
  const heap = items.slice()
  for (let i = (heap.length >>> 1) - 1; i >= 0; i--) sink(heap, i, isBefore)
  while (heap.length > 0) {
    const best = heap[0]!
    const last = heap.pop()!
    if (heap.length > 0) {
      heap[0] = last
      sink(heap, 0, isBefore)
    }
    yield best
  }
}

function sink<T>(heap: T[], at: number, isBefore: (a: T, b: T) => boolean): void {
  const moving = heap[at]!
  for (let hole = at; ; ) {
    let child = 2 * hole + 1
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
    if (child >= heap.length || !isBefore(heap[child]!, moving)) {
      heap[hole] = moving
      return
    }
    heap[hole] = heap[child]!
    hole = child
  }
}
