import { useEffect, useId, useRef, useState } from 'preact/hooks'

interface FieldProps {
  label: string
  value: string
  onChange(value: string): void
  placeholder?: string
  /** Suggestions of the browser. */
  offers?: readonly string[]
  isNumber?: boolean
  /** The delay after the last key. */
  delayMs?: number
}

/** A line of text or a number. Takes effect shortly after the last key, or with Enter. */
export function Field({ label, value, onChange, placeholder, offers, isNumber, delayMs = 300 }: FieldProps) {
  const id = useId()
  const [text, setText] = useState(value)
  // Taken over while rendering: an effect runs later, and would take away what was typed before it.
  const [taken, setTaken] = useState(value)
  if (taken !== value) {
    setTaken(value)
    setText(value)
  }
  const change = useRef(onChange)
  change.current = onChange
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => change.current(text), delayMs)
    return () => clearTimeout(timer)
  }, [text, value, delayMs])
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        inputMode={isNumber ? 'numeric' : 'text'}
        value={text}
        placeholder={placeholder ?? ''}
        list={offers ? id : ''}
        spellcheck={false}
        onInput={({ currentTarget }) =>
          setText(isNumber ? currentTarget.value.replace(/\D/g, '') : currentTarget.value)
        }
        onKeyDown={({ key }) => key === 'Enter' && onChange(text)}
      />
      {offers && (
        <datalist id={id}>
          {offers.map((offer) => (
            <option key={offer} value={offer} />
          ))}
        </datalist>
      )}
    </label>
  )
}

interface ChoiceProps {
  label: string
  value: string
  options: readonly (readonly [value: string, name: string])[]
  onChange(value: string): void
}

/** A choice of a few values. */
export function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
