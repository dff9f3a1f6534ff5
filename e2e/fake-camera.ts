import fs from 'node:fs'
import { type Browser, chromium, type Page } from '@playwright/test'
import { findBrowser } from '../tools/browser.ts'

interface VideoContent {
  /** PNG that the video shows. */
  readonly picture: Buffer
  readonly width: number
  readonly height: number
  readonly left: number
  readonly top: number
  /** Height of the picture in the video. */
  readonly side: number
}

/** Renders a video in YUV4MPEG2 that shows a picture on grey, with a page that it empties. */
export async function renderVideo(page: Page, content: VideoContent): Promise<Buffer> {
  const { picture, width, height, left, top, side } = content
  await page.goto('about:blank')
  await page.setContent(`<img src="data:image/png;base64,${picture.toString('base64')}">`)
  const lumaBase64 = await page.evaluate<string>(`(async () => {
    await document.images[0].decode()
    const canvas = Object.assign(document.createElement('canvas'), { width: ${width}, height: ${height} })
    const context = canvas.getContext('2d')
    context.fillStyle = '#999'
    context.fillRect(0, 0, ${width}, ${height})
    const [{ naturalWidth, naturalHeight }] = document.images
    context.drawImage(document.images[0], ${left}, ${top}, (${side} * naturalWidth) / naturalHeight, ${side})
    const { data } = context.getImageData(0, 0, ${width}, ${height})
    let luma = ''
    for (let at = 0; at < data.length; at += 4) luma += String.fromCharCode(data[at])
    return btoa(luma)
  })()`)
  const frame = Buffer.concat([
    Buffer.from('FRAME\n'),
    Buffer.from(lumaBase64, 'base64'),
    Buffer.alloc((width * height) / 2, 128),
  ])
  return Buffer.concat([Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420\n`), frame, frame])
}

/** Starts a browser whose camera shows a video, which is stored in `file`. */
export function launchWithCamera(file: string, video: Buffer): Promise<Browser> {
  fs.writeFileSync(file, video)
  return launch('--use-fake-ui-for-media-stream', `--use-file-for-fake-video-capture=${file}`)
}

/** Starts a browser with a camera that its user does not allow to be used. */
export const launchWithDeniedCamera = (): Promise<Browser> => launch('--use-fake-ui-for-media-stream=deny')

async function launch(...cameraArguments: readonly string[]): Promise<Browser> {
  const options = await findBrowser()
  const args = [...options.args, '--use-fake-device-for-media-stream', ...cameraArguments]
  return chromium.launch({ ...options, args })
}
