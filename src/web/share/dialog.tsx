import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

type DialogProps = { readonly label: string; readonly title: string; onClose(): void; readonly children: ComponentChildren }

export function Dialog({ label, title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="export" aria-label={label} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="quiet-button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {children}
    </dialog>
  )
}
