import { address, chosen, hrefOf, open } from '../address.ts'

/** Links between the views of one screen. What is chosen in a view stays with it; only the scope goes along. */
export function Tabs({ label, views }: { label: string; views: readonly (readonly [view: string, name: string])[] }) {
  const now = chosen('view')
  const { screen } = address.value
  const scope = chosen('scope')
  return (
    <nav class="tabs" aria-label={label}>
      {views.map(([view, name]) => (
        <a
          key={view}
          href={hrefOf(screen, { ...(view !== '' && { view }), ...(scope !== '' && { scope }) })}
          aria-current={view === now ? 'page' : undefined}
          onClick={open}
        >
          {name}
        </a>
      ))}
    </nav>
  )
}
