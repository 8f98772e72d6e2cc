import { useRef } from 'preact/hooks'
import { useField, useForm } from './form-context.ts'
import { type FieldProps, Framed } from './framed.tsx'

const indent = '  '
const refusal = 'This server does not accept code here unless its config file sets allowUploadedCode: true. The field is for: '

/** The text of a script. Tab indents; after Escape, Tab leaves the field as usual. */
export function CodeInput({ field, path }: FieldProps) {
  const { value, change } = useField(path)
  const { acceptsCode } = useForm()
  const mayLeave = useRef(false)
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement }) => {
    if (event.key === 'Escape') mayLeave.current = true
    else if (event.key !== 'Tab') mayLeave.current = event.key === 'Shift' && mayLeave.current
    if (event.key !== 'Tab' || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey || mayLeave.current) return
    event.preventDefault()
    insertText(event.currentTarget, indent)
  }
  const text = typeof value === 'string' ? value : ''
  return (
    <Framed
      field={{ ...field, help: `${acceptsCode ? '' : refusal}${field.help}. Tab indents; to leave the field, press Escape, then Tab.` }}
      path={path}
    >
      {(attributes) => (
        <textarea
          {...attributes}
          class="code"
          rows={Math.min(40, Math.max(12, text.split('\n').length + 1))}
          spellcheck={false}
          autocapitalize="off"
          wrap="off"
          value={text}
          onFocus={() => {
            mayLeave.current = false
          }}
          onKeyDown={onKeyDown}
          onInput={(event) => change(event.currentTarget.value || undefined)}
        />
      )}
    </Framed>
  )
}

/** Inserts text like typing, so that the browser can undo it. */
function insertText(area: HTMLTextAreaElement, text: string): void {
  if (document.execCommand('insertText', false, text)) return
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end')
  area.dispatchEvent(new Event('input', { bubbles: true }))
}
