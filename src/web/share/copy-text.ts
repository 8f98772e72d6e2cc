/** Copies text; false where the browser does not allow it. Pages on plain HTTP have no `navigator.clipboard`. */
export async function copyText(text: string): Promise<boolean> {
  const copied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  return copied || copyByCommand(text)
}

function copyByCommand(text: string): boolean {
  let copied = false
  const fill = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    copied = event.clipboardData !== null
  }
  document.addEventListener('copy', fill)
  const allowed = document.execCommand('copy')
  document.removeEventListener('copy', fill)
  return allowed && copied
}
