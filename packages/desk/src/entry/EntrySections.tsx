import { type DeskChapter, deskChapters } from '@tern/contract/desk/chapters'
import { type DeskFact, type DeskOpenItem, type DeskSection } from '@tern/contract/desk/queues'
import type { DeskQueue } from '@tern/contract/desk/roles'
import { entries } from '@tern/messages/en/desk/entries'
import { watch } from '@tern/messages/en/desk/watch'
import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import { formatDateTime } from '@tern/web/ui/format/format.ts'
import { classNames } from '@tern/web/ui/icon/class-names.ts'
import { useKeys } from '../app/keyboard.ts'
import { ComparisonTable, scoreLine } from './ComparisonTable.tsx'
import { factText, describeLabel, sectionName, verdictName } from './entry-text.ts'
import { PostingTable, RuleTable } from './EntryTables.tsx'

const chapters = [...deskChapters, 'timeline'] as const
type Chapter = (typeof chapters)[number]

/** Returns the keyboard shortcut of a chapter; the same in all queues, even if an item lacks other chapters. */
const chapterKey = (chapter: Chapter): string => String(chapters.indexOf(chapter) + 1)

const listChapters = ({ sections }: DeskOpenItem): Chapter[] =>
  chapters.filter((chapter) => chapter === 'timeline' || sections.some((section) => section.chapter === chapter))

/**
 * Links to the chapters with their shortcuts. Each scrolls to its chapter and focuses it; the visible chapter is
 * current.
 */
export function ChapterNav({ item, body }: { item: DeskOpenItem; body: RefObject<HTMLElement | null> }) {
  const itemChapters = listChapters(item)
  const [current, setCurrent] = useState(itemChapters[0])
  const find = (chapter: Chapter) => body.current?.querySelector<HTMLElement>(`[data-chapter="${chapter}"]`)

  function scrollToChapter(chapter: Chapter) {
    const target = find(chapter)
    target?.scrollIntoView()
    target?.querySelector('h3')?.focus({ preventScroll: true })
    // The last chapter may not scroll to the top, so the scroll position alone would select an earlier one.
    requestAnimationFrame(() => setCurrent(chapter))
  }
  useKeys((key) => {
    const selectedChapter = itemChapters.find((chapter) => chapterKey(chapter) === key)
    if (selectedChapter) scrollToChapter(selectedChapter)
    return selectedChapter !== undefined
  })
  useEffect(() => {
    const entry = body.current?.closest('main')
    const updateChapter = () => {
      const line = (entry?.querySelector('nav')?.getBoundingClientRect().bottom ?? 0) + 48
      const passedChapters = itemChapters.filter(
        (chapter) => (find(chapter)?.getBoundingClientRect().top ?? Infinity) <= line,
      )
      setCurrent(passedChapters.at(-1) ?? itemChapters[0])
    }
    // The scrolling element depends on the width of the page; a capturing listener covers all of them.
    entry?.addEventListener('scroll', updateChapter, { capture: true, passive: true })
    return () => entry?.removeEventListener('scroll', updateChapter, { capture: true })
  })

  return (
    <nav
      className="mt-2 flex gap-5 overflow-x-auto border-b px-6 max-md:sticky max-md:top-0 max-md:z-1 max-md:flex-none max-md:bg-paper max-md:px-4"
      aria-label={entries.sectionsLabel}
    >
      {itemChapters.map((chapter) => (
        <button
          key={chapter}
          type="button"
          className="dk-tab inline-flex min-h-9 flex-none items-center gap-1.5 hover:text-ink focus-visible:-outline-offset-2 aria-[current]:text-sea max-md:min-h-11"
          aria-current={chapter === current ? 'true' : undefined}
          aria-keyshortcuts={chapterKey(chapter)}
          onClick={() => scrollToChapter(chapter)}
        >
          {entries.chapters[chapter]} <kbd>{chapterKey(chapter)}</kbd>
        </button>
      ))}
    </nav>
  )
}

const sectionClass = 'pt-5 max-md:scroll-mt-11.25'
const headingClass = 'mb-1.5 w-fit text-small font-medium'

/** All facts of an item, by chapter. */
export function Chapters({ queue, item }: { queue: DeskQueue; item: DeskOpenItem }) {
  const first = item.sections.filter(({ chapter }) => chapter === null)
  return (
    <>
      {first.map((section) => (
        <section key={section.code} className={sectionClass}>
          <h3 className={headingClass}>{sectionName(section.code)}</h3>
          <SectionBody queue={queue} id={item.id} section={section} />
        </section>
      ))}
      {listChapters(item).map((chapter) =>
        chapter === 'timeline' ? (
          <Timeline key={chapter} queue={queue} item={item} />
        ) : (
          <DataChapter key={chapter} chapter={chapter} queue={queue} item={item} />
        ),
      )}
    </>
  )
}

interface DataChapterProps {
  chapter: DeskChapter
  queue: DeskQueue
  item: DeskOpenItem
}

/** One chapter; a section heading is omitted if it is the only section. */
function DataChapter({ chapter, queue, item: { id, sections } }: DataChapterProps) {
  const chapterSections = sections.filter((section) => section.chapter === chapter)
  const [onlySection] = chapterSections
  const isOnlySection = chapterSections.length === 1 && onlySection !== undefined
  return (
    <ChapterSection chapter={chapter} note={isOnlySection ? findNote(onlySection, chapter) : undefined}>
      {chapterSections.map((section, index) => (
        // Keyed by position: sections of the same kind may repeat, and their order is fixed.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index}>
          {!isOnlySection && (
            <h4 className={`mb-1.5 text-fine font-medium ${index === 0 ? 'mt-2' : 'mt-4'}`}>
              {sectionName(section.code)} <SmallText text={section.comparison && scoreLine(section.comparison)} />
            </h4>
          )}
          <SectionBody queue={queue} id={id} section={section} />
        </div>
      ))}
    </ChapterSection>
  )
}

const findNote = ({ code, comparison }: DeskSection, chapter: DeskChapter): string | undefined =>
  (comparison && scoreLine(comparison)) ??
  (sectionName(code) === entries.chapters[chapter] ? undefined : sectionName(code))

const SmallText = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : <small className="ms-1 text-fine font-normal text-ink-2">{text}</small>

interface ChapterSectionProps {
  chapter: Chapter
  note?: string | undefined
  children: ReactNode
}

function ChapterSection({ chapter, note, children }: ChapterSectionProps) {
  return (
    <section data-chapter={chapter} className={sectionClass}>
      <h3 tabIndex={-1} className={headingClass}>
        {entries.chapters[chapter]} <SmallText text={note} />
      </h3>
      {children}
    </section>
  )
}

function SectionBody({ queue, id, section }: { queue: DeskQueue; id: string; section: DeskSection }) {
  const { facts, comparison, postings = [], rules = [] } = section
  return (
    <>
      {comparison && <ComparisonTable comparison={comparison} />}
      {postings.length > 0 && <PostingTable postings={postings} />}
      {rules.length > 0 && <RuleTable rules={rules} />}
      {facts.length > 0 && (
        <dl
          className={classNames(
            '@min-[840px]:columns-2 @min-[840px]:gap-x-12',
            (postings.length > 0 || rules.length > 0) && 'mt-3',
          )}
        >
          {facts.map((fact) => (
            <div
              key={fact.kind === 'file' ? fact.id : `${fact.label} ${factText(fact)}`}
              className="dk-pair @min-[840px]:break-inside-avoid"
            >
              <dt>{describeLabel(fact.label)}</dt>
              <dd className="tabular-nums">
                <FactText queue={queue} id={id} fact={fact} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

/** Fact as text, or as a file to download. */
function FactText({ queue, id, fact }: { queue: DeskQueue; id: string; fact: DeskFact }) {
  if (fact.kind !== 'file') return factText(fact)
  return (
    <a href={`/desk/api/queues/${queue}/${id}/files/${fact.id}`} download>
      {factText(fact)}
    </a>
  )
}

function Timeline({ queue, item: { timeline, barred } }: { queue: DeskQueue; item: DeskOpenItem }) {
  return (
    <ChapterSection chapter="timeline">
      {timeline.length === 0 && (
        <p className="muted">{barred === 'involved' ? entries.notShown : entries.noTimeline}</p>
      )}
      <ol>
        {timeline.map(({ number, at, by, act, reason, after }) => (
          <li key={number} className="dk-pair">
            <time dateTime={at}>{formatDateTime(at)}</time>
            <span>
              <b>{by}</b> {watch.log.acts[act as keyof typeof watch.log.acts]}
              {after &&
                ['decided', 'agreed', 'disagreed', 'carried_out'].includes(act) &&
                `: ${verdictName(queue, after)}`}
              {reason && <q className="block wrap-anywhere text-ink-2">{reason}</q>}
            </span>
          </li>
        ))}
      </ol>
    </ChapterSection>
  )
}
