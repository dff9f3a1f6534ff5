import type { ComponentProps, ReactNode } from 'react'
import { paths } from '../../paths.ts'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { Chip } from '../../../ui/layout/Chip.tsx'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { classNames } from '../../../ui/icon/class-names.ts'
import { FocusedHeading } from '../../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'

interface ReceiptFrameProps {
  header?: ReactNode
  className?: string | undefined
  /** Uses the width of the page, such as for a map. */
  isWide?: boolean
  /** False if a progress bar above the sheet takes its place. */
  scaleBar?: boolean
  /** Next page, and the text of its link. */
  to: string
  toText: string
  texts: { another: string }
  onRestart: () => void
  children: ReactNode
}

/** Sheet with the outcome of an order, above links to further pages. */
export function ReceiptFrame({
  header,
  className,
  isWide = false,
  scaleBar = true,
  to,
  toText,
  texts,
  onRestart,
  children,
}: ReceiptFrameProps) {
  return (
    <div
      className={classNames('mt-8 wrap-anywhere', isWide ? 'max-w-160 xl:max-w-300 print:max-w-none!' : 'max-w-160')}
    >
      {header}
      <Sheet scaleBar={scaleBar} className={className}>
        {children}
      </Sheet>
      <div className="form-actions mt-6 flex-wrap">
        <LinkButton look="primary" big to={to}>
          {toText}
        </LinkButton>
        <Button big onClick={onRestart}>
          {texts.another}
        </Button>
      </div>
    </div>
  )
}

interface ReceiptProps {
  header?: ReactNode
  title: string
  status: ComponentProps<typeof Chip>['status']
  caption: string
  /** Formatted amount that arrives. */
  amount: string
  entries: ComponentProps<typeof DefinitionList>['entries']
  note?: ReactNode
  texts: { seeTransactions: string; another: string }
  onRestart: () => void
}

/** Receipt of an order that takes a bank days to carry out. */
export function Receipt({ header, title, status, caption, amount, entries, note, texts, onRestart }: ReceiptProps) {
  return (
    <ReceiptFrame
      header={header}
      to={paths.transactions}
      toText={texts.seeTransactions}
      texts={texts}
      onRestart={onRestart}
    >
      <div className="p-6 md:p-8">
        <div className="row">
          <FocusedHeading className="display-s grow">{title}</FocusedHeading>
          <Chip status={status} />
        </div>
        <p className="small muted mt-6">{caption}</p>
        <p className="balance balance-small">{amount}</p>
        <div className="mt-6 border-t">
          <DefinitionList small entries={entries} />
        </div>
        {note && <p className="small muted mt-4">{note}</p>}
      </div>
    </ReceiptFrame>
  )
}
