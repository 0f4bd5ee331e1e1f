import { useState } from 'preact/hooks'
import type { PriceTable, UsageSettings } from '../../../../loadout.ts'
import { line } from '../../format.ts'
import { propose } from '../../parts/change.tsx'
import { Answered, Badge, Tick } from '../../parts/screen.tsx'
import { changeSettings } from '../../proposals.tsx'
import { useAnswer } from '../../use-answer.ts'

/** The settings of this machine that the page can change: tasks, transcripts, prices. */
export function SettingsView() {
  const asked = useAnswer<UsageSettings>('/api/settings', {}, ['config'])
  return (
    <Answered asked={asked}>
      {(settings) => (
        <>
          <section class="card stack" aria-label="What is kept">
            <h2>What is kept</h2>
            <Switch
              name="Keep the words of tasks"
              about="In the usage log of this machine, without secrets. Conversations get titles, and a change can be tried on past tasks."
              isOn={settings.keepsTasks}
              onChange={(keepsTasks) => propose(changeSettings({ keepsTasks }, settings))}
            />
            <Switch
              name="Read the agents' own transcripts"
              about="Conversations then also show what the model had: its list of skills, instruction files, answers of tools. Nothing of it is stored."
              isOn={settings.readsTranscripts}
              onChange={(readsTranscripts) => propose(changeSettings({ readsTranscripts }, settings))}
            />
            <p class="muted wraps">{line(settings.config)}</p>
          </section>
          <Prices key={JSON.stringify(settings.prices)} settings={settings} />
        </>
      )}
    </Answered>
  )
}

function Switch(props: { name: string; about: string; isOn: boolean; onChange(isOn: boolean): void }) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={props.isOn}
      class="switch"
      onClick={() => props.onChange(!props.isOn)}
    >
      <Tick isOn={props.isOn} />
      <span>
        <strong>{props.name}</strong> <Badge tone={props.isOn ? 'good' : 'quiet'}>{props.isOn ? 'on' : 'off'}</Badge>
        <span class="muted wraps"> {props.about}</span>
      </span>
    </button>
  )
}

/** One line for each model or agent: `claude-opus-4-1 15`. */
function rowsOf({ agents = {}, models = {} }: PriceTable): string {
  return Object.entries({ ...agents, ...models })
    .map(([name, price]) => `${name} ${price}`)
    .join('\n')
}

function Prices({ settings }: { settings: UsageSettings }) {
  const { prices, shipped } = settings
  const [text, setText] = useState(rowsOf(prices ?? { currency: '' }))
  const [currency, setCurrency] = useState(prices?.currency ?? shipped.currency)
  const known = prices?.agents ?? {}
  const read = (): PriceTable => {
    const rows = text.split('\n').flatMap((row): [string, number][] => {
      const [, name, price] = /^\s*(\S+)\s+(\S+)\s*$/.exec(row) ?? []
      return name === undefined ? [] : [[name, Number(price)]]
    })
    return {
      currency,
      as_of: new Date().toISOString().slice(0, 10),
      ...(prices?.shipped === false && { shipped: false }),
      agents: Object.fromEntries(rows.filter(([name]) => Object.hasOwn(known, name))),
      models: Object.fromEntries(rows.filter(([name]) => !Object.hasOwn(known, name))),
    }
  }
  return (
    <section class="card stack" aria-label="Prices">
      <h2>Prices</h2>
      <p class="wraps">
        What one million input tokens cost, by model.{' '}
        {prices?.shipped
          ? `Loadout’s own prices, looked up on ${shipped.as_of}, count for models that are not here.`
          : prices === undefined
            ? 'No money is shown.'
            : 'Only these count.'}{' '}
        <span class="muted">{prices?.as_of !== undefined && `Yours are of ${prices.as_of}.`}</span>
      </p>
      <label class="field editor">
        <span>Model and price, one a line</span>
        <textarea
          rows={10}
          value={text}
          spellcheck={false}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div class="row">
        <label class="field">
          <span>Currency</span>
          <input
            type="text"
            list=""
            value={currency}
            onInput={({ currentTarget }) => setCurrency(currentTarget.value)}
          />
        </label>
        <span class="grow" />
        <button type="button" class="button" onClick={() => setText(rowsOf(shipped))}>
          Fill in those of {shipped.as_of}
        </button>
        {text !== '' && (
          <button type="button" class="button" onClick={() => propose(changeSettings({ prices: null }, settings))}>
            Only Loadout’s own…
          </button>
        )}
        <button
          type="button"
          class="button"
          onClick={() =>
            propose(changeSettings({ prices: { ...read(), shipped: prices?.shipped === false } }, settings))
          }
        >
          {prices?.shipped === false ? 'Use Loadout’s own too…' : 'Do not use Loadout’s own…'}
        </button>
        <button
          type="button"
          class="button is-main"
          disabled={
            text.trim() === '' || (text === rowsOf(prices ?? { currency: '' }) && currency === prices?.currency)
          }
          onClick={() => propose(changeSettings({ prices: read() }, settings))}
        >
          Save…
        </button>
      </div>
    </section>
  )
}
