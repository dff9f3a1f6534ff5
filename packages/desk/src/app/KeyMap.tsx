import { desk } from '@tern/messages/en/desk/desk'
import { keys } from '@tern/messages/en/desk/keys'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { IconButton } from '@tern/web/ui/forms/Button.tsx'
import { places } from './client.ts'
import { areLettersOn, setLetters } from './keyboard.ts'

/** Returns the keys that, after G, open the pages of these groups. */
const listLetters = (...shownGroups: (typeof places)[number]['group'][]): string =>
  places
    .filter(({ group }) => shownGroups.includes(group))
    .map(({ letter }) => letter.toUpperCase())
    .join(' ')

const groups = [
  [
    'move',
    [
      [keys.next, 'J', 'K'],
      [keys.open, 'Enter', 'Esc'],
      [keys.sections, '1', '2', '3', '4', '5'],
      [keys.queue, 'G', listLetters('decide', 'mend')],
      [keys.watch, 'G', listLetters('watch')],
      [keys.search, '/'],
    ],
  ],
  [
    'decide',
    [
      [keys.clear, 'C'],
      [keys.refuse, 'R'],
      [keys.settle, 'S'],
      [keys.ask, 'I'],
      [keys.record, 'Ctrl', 'Enter'],
    ],
  ],
  [
    'entry',
    [
      [keys.take, 'A'],
      [keys.escalate, 'E'],
      [keys.writeNote, 'N'],
      [keys.fetch, 'F'],
      [keys.all, '?'],
    ],
  ],
] as const

/** Modal dialog that traps the focus, and returns it to the previous element on close. */
export function Modal({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      className="m-auto max-h-[calc(100dvh-48px)] w-[min(560px,100%-32px)] overflow-y-auto rounded-sheet bg-sheet px-6 pt-5 pb-6 [box-shadow:var(--shadow)] backdrop:bg-[var(--scrim)]"
      aria-label={title}
      onClose={onClose}
    >
      <header className="mb-2 flex items-center justify-between gap-4">
        <h2 className="font-display text-[1.25rem]/7">{title}</h2>
        <IconButton icon="cross" label={desk.close} onClick={() => dialog.current?.close()} />
      </header>
      {children}
    </dialog>
  )
}

/** Dialog that lists all keyboard shortcuts and turns single-letter ones on or off. */
export function KeyMap({ onClose }: { onClose: () => void }) {
  const [isOn, setIsOn] = useState(areLettersOn)
  return (
    <Modal title={keys.title} onClose={onClose}>
      <div className="columns-2 gap-8 max-md:columns-1">
        {groups.map(([group, rows]) => (
          <section key={group} className="mb-3 break-inside-avoid">
            <h3 className="pt-2 pb-1 font-medium">{keys.groups[group]}</h3>
            <ul>
              {rows.map(([name, ...keyLabels]) => (
                <li key={name} className="flex min-h-7 items-center justify-between gap-3 border-t">
                  <span>{name}</span>
                  <span className="flex flex-none gap-1">
                    {keyLabels.map((key) => (
                      <kbd key={key} className="max-md:inline-grid">
                        {key}
                      </kbd>
                    ))}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <label className="flex min-h-8 items-center gap-2 max-md:min-h-11">
        <input
          className="accent-sea"
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            setLetters(target.checked)
            setIsOn(target.checked)
          }}
        />
        {keys.on}
      </label>
      <p className="dk-hint">{keys.note}</p>
    </Modal>
  )
}
