/** Name in its own script. It may run from right to left, and is aligned with the text around it. */
export function LocalName({ name }: { name: string }) {
  return (
    <span className="small muted block wrap-anywhere">
      <bdi translate="no">{name}</bdi>
    </span>
  )
}
