/** Bar beside an amount that is written next to it; `length` is out of 1000. */
export function ShareBar({ length }: { length: number }) {
  return (
    <svg className="share-bar" viewBox="0 0 1000 6" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path d={`M0 0h${length}v6H0z`} />
    </svg>
  )
}
