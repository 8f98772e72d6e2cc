import { useLayoutEffect } from 'preact/hooks'

/** Shows in the icon of the tab how many checks fail, or that it is not known. */
export function useFailingIcon(failing: number, isLost: boolean): void {
  const text = isLost ? '?' : failing > 99 ? '99+' : String(failing)
  const isPlain = failing === 0 && !isLost
  // An effect that is not of the layout may end only after that of the next session has begun.
  useLayoutEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon === null || isPlain) return
    const before = icon.href
    const drawn = URL.createObjectURL(new Blob([iconWith(text, isLost ? '#5b6770' : '#b3370a')], { type: 'image/svg+xml' }))
    icon.href = drawn
    return () => {
      icon.href = before
      URL.revokeObjectURL(drawn)
    }
  }, [text, isPlain])
}

/** White on a colour; three characters at most. */
function iconWith(text: string, colour: string): string {
  const size = [24, 20, 15][text.length - 1] ?? 15
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${colour}"/><text x="16" y="${16 + size * 0.36}" font-family="system-ui, sans-serif" font-size="${size}" font-weight="700" text-anchor="middle" fill="#fff">${text}</text></svg>`
}
