import { useQuery } from '@tanstack/react-query'
import type { ReceiptSheet } from '@tern/contract/receipt/receipt-sheet'
import { useEffect, useRef, useState } from 'react'
import { receiptPage as texts } from '#messages/receipt/page.ts'
import { saveFile } from '../../../ui/save-file.ts'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { Button } from '../../../ui/forms/Button.tsx'
import { Segmented } from '../../../ui/forms/Segmented.tsx'
import { ExtraIcon } from '../../../ui/icon/ExtraIcon.tsx'
import { Dialog } from '../../../ui/layout/Dialog.tsx'
import { atlasQuery, noAtlas } from '../../../ui/maps/atlas-query.ts'
import { drawPicture, pictureFile, pictureSize } from './receipt-picture.ts'

const canShareFiles = (): boolean =>
  typeof navigator.canShare === 'function' &&
  navigator.canShare({ files: [new File([], texts.pictureName, { type: 'image/png' })] })

interface PictureProps {
  facts: ReceiptSheet
  hasAmounts: boolean
  /** Called with the canvas once it shows this picture; undefined until then, so that no outdated picture is shared. */
  onDrawn: (canvas: HTMLCanvasElement | undefined) => void
}

function Picture({ facts, hasAmounts, onDrawn }: PictureProps) {
  const atlas = useQuery(atlasQuery)
  const toast = useToast()
  const place = useRef<HTMLCanvasElement>(null)
  const [isDrawn, setIsDrawn] = useState(false)
  useEffect(() => {
    const canvas = place.current
    if (!canvas || atlas.isPending) return
    let isCurrent = true
    const setDrawnState = (isComplete: boolean) => {
      if (!isCurrent) return
      setIsDrawn(isComplete)
      onDrawn(isComplete ? canvas : undefined)
    }
    setDrawnState(false)
    drawPicture(canvas, facts, atlas.data ?? noAtlas, hasAmounts).then(
      () => setDrawnState(true),
      () => toast(texts.pictureFailed, 'warning'),
    )
    return () => void (isCurrent = false)
    // Facts and callback change identity on each render, but not in meaning.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [hasAmounts, atlas.isPending, atlas.data])
  return (
    <canvas
      ref={place}
      className="border block w-full my-4 aspect-square"
      width={pictureSize}
      height={pictureSize}
      role="img"
      aria-label={texts.preview}
      aria-busy={!isDrawn}
    />
  )
}

/** Shares or saves the picture of a receipt, with or without amounts. */
export function SharePicture({ facts, onClose }: { facts: ReceiptSheet; onClose: () => void }) {
  const toast = useToast()
  const [amounts, setAmounts] = useState<'without' | 'with'>('without')
  const [canvas, setCanvas] = useState<HTMLCanvasElement>()
  const passCanvasFile = async (handleFile: (file: File) => Promise<void> | void) => {
    if (!canvas) return
    try {
      await handleFile(await pictureFile(canvas))
    } catch (error) {
      // Closing the share sheet is not an error.
      if (!(error instanceof DOMException && error.name === 'AbortError')) toast(texts.pictureFailed, 'warning')
    }
  }
  const choose = (choice: typeof amounts) => {
    if (choice !== amounts) setCanvas(undefined)
    setAmounts(choice)
  }
  const save = (file: File) => {
    saveFile(file, texts.pictureName)
    toast(texts.pictureSaved)
  }
  const isShared = canShareFiles()
  return (
    <Dialog open title={texts.pictureTitle} size="small" onClose={onClose}>
      <p className="muted small mt-2 mb-4">{texts.pictureText}</p>
      <Segmented
        label={texts.amounts}
        value={amounts}
        onChange={choose}
        choices={[
          { value: 'without', label: texts.without },
          { value: 'with', label: texts.with },
        ]}
      />
      <Picture facts={facts} hasAmounts={amounts === 'with'} onDrawn={setCanvas} />
      <div className="chart-sheet-actions">
        {isShared && (
          <Button look="primary" onClick={() => void passCanvasFile((file) => navigator.share({ files: [file] }))}>
            <ExtraIcon name="share" />
            {texts.sharePicture}
          </Button>
        )}
        <Button look={isShared ? 'secondary' : 'primary'} onClick={() => void passCanvasFile(save)}>
          <ExtraIcon name="download" />
          {texts.savePicture}
        </Button>
      </div>
    </Dialog>
  )
}
