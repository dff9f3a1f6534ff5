// node tools/run.mjs tools/licences sbom [FILE]: writes the CycloneDX bill of materials of a production installation to
// the file or to standard output. node tools/run.mjs tools/licences notice: updates NOTICE's list of npm packages.

import fs from 'node:fs'
import { packageList, replacePackageList } from './licences.ts'
import { npmSbom, readLock, rootFile } from './project.ts'
import { productionPackages } from './lock.ts'
import { productionSbom } from './sbom.ts'
import manifest from '../../package.json' with { type: 'json' }

const [command, file] = process.argv.slice(2)
const packages = productionPackages(readLock())
if (command === 'notice') {
  const notice = rootFile('NOTICE')
  fs.writeFileSync(notice, replacePackageList(fs.readFileSync(notice, 'utf8'), packages))
  console.log(`NOTICE lists ${packageList(packages).match(/^ {4}/gm)?.length ?? 0} packages.`)
} else {
  const sbom = `${JSON.stringify(productionSbom(npmSbom(), packages, manifest), null, 2)}\n`
  if (file === undefined) process.stdout.write(sbom)
  else fs.writeFileSync(file, sbom)
}
