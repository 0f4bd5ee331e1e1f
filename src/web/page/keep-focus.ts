/**
 * When what has the focus leaves the document (news redrew it, its work is done), the focus goes to the open dialog, or
 * else to the table, whose current row is still the same. A browser would lose it, and the next Tab begin at the top.
 */
export function keepFocus(page: Element): void {
  let last: EventTarget | null = null
  addEventListener('focusin', ({ target }) => {
    last = target
  })
  // A click on nothing takes the focus away on purpose.
  addEventListener('pointerdown', () => {
    last = null
  })
  new MutationObserver(() => {
    if (document.activeElement !== document.body || !(last instanceof Element) || last.isConnected) return
    const places = ['dialog[open] .dialog-body', 'main [role=grid]', 'main']
    const next = places.map((each) => page.querySelector<HTMLElement>(each)).find((each) => each !== null)
    next?.focus({ preventScroll: true })
  }).observe(page, { childList: true, subtree: true })
}
