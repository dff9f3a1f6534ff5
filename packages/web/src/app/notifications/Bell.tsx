import '../../css/notifications.css'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useId, useRef, useState } from 'react'
import { bell as texts } from '#messages/home/bell.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Drawing } from '../../ui/icon/Icon.tsx'
import { unreadQuery } from './unread-query.ts'

// Loaded lazily: most visits never open it.
const Panel = lazyComponent(() => import('./Panel.tsx'), 'Panel')

const SecureDialog = lazyComponent(() => import('./SecureDialog.tsx'), 'SecureDialog')

const drawing = 'M6 17v-6a6 6 0 0 1 12 0v6l1.5 2h-15zM10 21.5h4'

/** Bell in the top bar with the count of unread groups, and its panel. */
export function Bell({ userId }: { userId: number }) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  // Id of the session of a login that the person does not recognize.
  const [unrecognizedId, setUnrecognizedId] = useState<string>()
  const unreadCount = useUnread(userId)
  const unread = unreadCount ?? 0
  const announcement = useArrivals(unreadCount)
  const place = () => {
    const { right = 0 } = button.current?.getBoundingClientRect() ?? {}
    panel.current?.style.setProperty('--bell-right', `${document.documentElement.clientWidth - right}px`)
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className="button button-square relative text-ink-2 aria-expanded:bg-sea-wash aria-expanded:text-ink [&_.icon]:size-5.5"
        popoverTarget={id}
        aria-label={texts.bell(unread)}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
      >
        <Drawing name="bell" path={drawing} />
        {unread > 0 && <Count unread={unread} />}
      </button>
      <section
        ref={panel}
        id={id}
        className="notifications"
        popover="auto"
        role="dialog"
        aria-labelledby={`${id}-title`}
        onBeforeToggle={place}
        onToggle={({ newState }) => setIsOpen(newState === 'open')}
      >
        {isOpen && (
          <Suspense>
            <Panel
              userId={userId}
              titleId={`${id}-title`}
              unread={unread}
              onClose={() => panel.current?.hidePopover()}
              onUnrecognized={(sessionId) => {
                panel.current?.hidePopover()
                setUnrecognizedId(sessionId)
              }}
            />
          </Suspense>
        )}
      </section>
      {unrecognizedId !== undefined && (
        <Suspense>
          <SecureDialog
            sessionId={unrecognizedId}
            onClose={() => {
              setUnrecognizedId(undefined)
              button.current?.focus()
            }}
          />
        </Suspense>
      )}
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
    </>
  )
}

function Count({ unread }: { unread: number }) {
  return (
    <span
      className="[box-shadow:0_0_0_2px_var(--paper)] rounded-[9px] text-tiny/4.5 absolute top-1.25 start-5.75 min-w-4.5 h-4.5 px-1.25 bg-sea text-on-sea font-strong tabular-nums text-center"
      aria-hidden="true"
    >
      {texts.counted(unread)}
    </span>
  )
}

/** Count of unread groups, kept current by the event stream; undefined until known. */
function useUnread(userId: number): number | undefined {
  return useQuery(unreadQuery(userId)).data?.unread
}

/** Sentence for screen readers when a notification arrives while the page is open; empty once some were read. */
function useArrivals(unread: number | undefined): string {
  const [announcedCount, setAnnouncedCount] = useState(unread)
  const [sentence, setSentence] = useState('')
  if (unread !== undefined && announcedCount !== unread) {
    setAnnouncedCount(unread)
    setSentence(announcedCount !== undefined && unread > announcedCount ? texts.arrived(unread) : '')
  }
  return sentence
}
