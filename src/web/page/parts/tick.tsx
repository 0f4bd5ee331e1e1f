/** A box that is ticked or not; the surrounding text must also say so in words. */
export function Tick({ isOn }: { isOn: boolean }) {
  return (
    <svg class={`tick${isOn ? ' is-on' : ''}`} viewBox="0 0 16 16" aria-hidden="true">
      <rect x="1.5" y="1.5" width="13" height="13" rx="3" />
      {isOn && <path d="m4.5 8.2 2.4 2.4 4.6-5" />}
    </svg>
  )
}
