/** A name in its own script, which may run from right to left. */
export function LocalName({ name }: { name: string }) {
  return (
    <bdi className="small muted block wrap-anywhere" translate="no">
      {name}
    </bdi>
  )
}
