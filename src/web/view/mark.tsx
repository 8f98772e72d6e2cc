/** The logo: two waves. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M5 13c3.7-4 7.3-4 11 0s7.3 4 11 0" />
      <path d="M5 20c3.7-4 7.3-4 11 0s7.3 4 11 0" />
    </svg>
  )
}
