import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { address, hrefOf, open } from './address.ts'
import { home, line } from './format.ts'
import { connection } from './live.ts'
import { Confirm, Toast } from './parts/change.tsx'
import { SCREENS } from './screens.ts'
import { openSearch, Search } from './search.tsx'
import { useAnswer } from './use-answer.ts'

/** The menu, the state of the connection, and the open screen. */
export function Shell() {
  const { screen: path } = address.value
  const row = SCREENS.find((each) => each.path === path) ?? SCREENS[0]
  const View = useView(row?.path)
  const place = useAnswer<Place>('/api/place', {}, ['config']).answer
  useEffect(() => {
    home.value = place?.home
  }, [place])
  useEffect(() => {
    document.title = `${row?.name ?? ''} · Loadout`
  }, [row])
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <nav class="menu" aria-label="Screens">
        <div class="brand">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="7" />
            <path d="M7 9h18M7 16h12M7 23h15" />
          </svg>
          Loadout
        </div>
        <button
          type="button"
          class="search-button"
          aria-label="Search"
          onClick={openSearch}
          aria-keyshortcuts="/ Control+K"
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5 14 14" />
          </svg>
          <span>Search</span>
          <kbd>/</kbd>
        </button>
        <ul>
          {SCREENS.map(({ path: to, name, icon }) => (
            <li key={to}>
              <a href={hrefOf(to)} aria-current={row?.path === to ? 'page' : undefined} onClick={open}>
                <svg viewBox="0 0 16 16" aria-hidden="true">
                  <path d={icon} />
                </svg>
                {name}
              </a>
            </li>
          ))}
          {place?.team !== undefined && (
            <li>
              <a href={place.team} target="_blank" rel="noreferrer">
                <svg viewBox="0 0 16 16" aria-hidden="true">
                  <path d="M5 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4M11 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4M1 13c0-2 2-4 4-4s4 2 4 4M11 9c2 0 4 2 4 4" />
                </svg>
                Team
              </a>
            </li>
          )}
        </ul>
        <RemoteState place={place} />
      </nav>
      <main id="content" tabIndex={-1}>
        <Lost />
        {View && <View key={row?.path} />}
      </main>
      <Search />
      <Confirm />
      <Toast />
    </div>
  )
}

function useView(path: string | undefined): FunctionComponent | undefined {
  const [view, setView] = useState<{ path: string; View: FunctionComponent }>()
  useEffect(() => {
    let isGone = false
    const row = SCREENS.find((each) => each.path === path)
    row?.load().then(
      ({ default: View }) => isGone || setView({ path: row.path, View }),
      () => isGone || setView({ path: row.path, View: NotLoaded }),
    )
    return () => {
      isGone = true
    }
  }, [path])
  return view?.path === path ? view?.View : undefined
}

/** The files of a screen are missing if Loadout was reinstalled since the server started. */
function NotLoaded() {
  return <p role="alert">This screen could not be loaded. Reload the page, or start loadout web again.</p>
}

interface Place {
  version: string
  home: string
  project?: string
  /** The page of the team that this machine has joined. */
  team?: string
}

function RemoteState({ place: answer }: { place: Place | undefined }) {
  const isLive = connection.value === 'live'
  return (
    <div class="standing">
      {answer?.project !== undefined && (
        <p title={line(answer.project)}>
          <span class="muted">project</span> {line(answer.project.split('/').at(-1) ?? '')}
        </p>
      )}
      <p role="status">
        <span class={`dot ${isLive ? 'tone-good' : 'tone-bad'}`} aria-hidden="true" />
        {isLive ? 'live' : connection.value === 'waiting' ? 'connecting' : 'not connected'}
        {answer && <span class="muted"> · {answer.version}</span>}
      </p>
    </div>
  )
}

/** The remedy when the server does not answer. */
function Lost() {
  if (connection.value !== 'lost' && connection.value !== 'refused') return null
  return (
    <div class="lost" role="alert">
      {connection.value === 'refused'
        ? 'This browser has no token of the running server: Loadout was started again, or its address was not opened here. Open the address that loadout web printed last.'
        : 'Loadout does not answer. What you see is how it was. Start it again: loadout web'}
    </div>
  )
}
