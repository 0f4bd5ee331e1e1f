import { useState } from 'preact/hooks'
import { line } from '../format.ts'

/** The equivalent command for a terminal. */
export function Command({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () => {
    void navigator.clipboard?.writeText(text).then(() => setCopied(true))
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <span class="command">
      <code>{line(text)}</code>
      <button type="button" class="copy" aria-label={`copy ${line(text, 60)}`} onClick={copy}>
        {isCopied ? 'copied' : 'copy'}
      </button>
    </span>
  )
}
