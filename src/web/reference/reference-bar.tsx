import type { PageCredentials } from '../api/client.ts'
import { basePath } from '../state/base-path.ts'
import { Mark } from '../view/mark.tsx'
import { ThemeSwitch } from '../view/theme-switch.tsx'
import { views } from '../view/views.ts'

/** The bar of the page, with links to its views: the reference is a separate document. */
export function ReferenceBar({ credentials }: { readonly credentials: PageCredentials | null }) {
  return (
    <>
      <a class="skip-link" href="#top">
        Skip to the view
      </a>
      <a class="brand" href={`${basePath()}/`}>
        <Mark /> Tidemark
      </a>
      {credentials !== null && (
        <span class="account">
          <span class="wide-only">Account </span>
          <b>{credentials.account}</b>
        </span>
      )}
      <nav class="views" aria-label="Views">
        {views.map(({ href, name }) => (
          <a key={href} href={basePath() + href}>
            {name}
          </a>
        ))}
        <a href={`${basePath()}/docs`} aria-current="page">
          API
        </a>
        <ThemeSwitch />
      </nav>
    </>
  )
}
