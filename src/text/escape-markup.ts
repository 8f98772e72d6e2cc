/** Escapes text for HTML, SVG and XML, in content and in attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
