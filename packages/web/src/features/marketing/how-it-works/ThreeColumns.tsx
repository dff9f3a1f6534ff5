const columnClass =
  'border-s px-8 pt-6 pb-8 nth-[3n+1]:border-s-0 nth-[3n+1]:ps-0 nth-[n+4]:border-t ' +
  'max-md:border-s-0 max-md:px-0 max-md:py-5 max-md:not-first:border-t ' +
  'sm:max-md:grid sm:max-md:grid-cols-[minmax(0,5fr)_minmax(0,7fr)] sm:max-md:gap-8'

interface ThreeColumnsProps {
  texts: readonly { readonly title: string; readonly text: string }[]
}

/** Texts in rows of three, divided by lines. On tablets each title is beside its text. */
export function ThreeColumns({ texts }: ThreeColumnsProps) {
  return (
    <div className="mt-10 grid grid-cols-3 border-t border-t-ink max-md:grid-cols-1">
      {texts.map((column) => (
        <div className={columnClass} key={column.title}>
          <h3 className="display-s mb-2">{column.title}</h3>
          <p className="muted">{column.text}</p>
        </div>
      ))}
    </div>
  )
}
