import { shell } from '#messages/shell.ts'

/** Where in a short journey the person is; `current` counts from 0. */
export function Steps({ steps, current }: { steps: readonly string[]; current: number }) {
  return (
    <nav aria-label={shell.progress}>
      <ol className="steps">
        {steps.map((step, index) => (
          <li
            key={step}
            className={index < current ? 'step-past' : undefined}
            aria-current={index === current ? 'step' : undefined}
          >
            {step}
            {index < current && <span className="visually-hidden"> {shell.stepDone}</span>}
          </li>
        ))}
      </ol>
    </nav>
  )
}
