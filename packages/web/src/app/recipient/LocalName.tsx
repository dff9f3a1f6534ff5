/** A name in its own script. It may run from right to left, and begins where the text around it does. */
export function LocalName({ name }: { name: string }) {
  return (
    <span className="small muted block wrap-anywhere">
      <bdi translate="no">{name}</bdi>
    </span>
  )
}
