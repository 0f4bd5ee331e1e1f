import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface DialogProps {
  title: string
  children: ComponentChildren
  onClose(): void
  /** Beside the button that closes it. */
  actions?: ComponentChildren
  isWide?: boolean
}

/** Above everything else, until it is closed. The browser keeps the focus inside, and gives it back. */
export function Dialog({ title, children, onClose, actions, isWide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={isWide ? 'is-wide' : ''}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <h2 id={id}>{title}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so that the keyboard must reach it */}
      <div class="dialog-body" tabIndex={0} role="region" aria-label={title}>
        {children}
      </div>
      <footer>
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        {actions}
      </footer>
    </dialog>
  )
}
