import { RouteLink } from '../state/route.tsx'

type TagsProps = { readonly tags: readonly string[]; hrefOf(tag: string): string }

/** Tags that link to the checks with the tag. */
export function Tags({ tags, hrefOf }: TagsProps) {
  if (tags.length === 0) return null
  return (
    <span class="tags">
      {tags.map((tag) => (
        <RouteLink key={tag} class="tag" href={hrefOf(tag)}>
          {tag}
        </RouteLink>
      ))}
    </span>
  )
}
