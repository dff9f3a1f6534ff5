import { shell } from '#messages/shell.ts'

/** Where in a short journey the person is; `current` counts from 0. */
export function Steps({ steps, current }: { steps: readonly string[]; current: number }) {
  return (
    <ol className="steps" aria-label={shell.progress}>
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
  )
}
