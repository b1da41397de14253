// Compiles specs with Kaitai's own compiler: a JSON list of specs comes in, a JSON list of {files} or {error} goes out.
'use strict';
const path = require('path');
const loaded = require(path.join(process.argv[2], 'node_modules', 'kaitai-struct-compiler'));
const compiler = loaded.compile ? loaded : loaded.KaitaiStructCompiler || loaded.default || loaded;
const nothing = { importYaml: (name) => Promise.reject(new Error('no imports: ' + name)) };

async function compileAll(specs) {
  const results = [];
  for (const spec of specs) {
    try {
      results.push({ files: await compiler.compile('python', spec, nothing, false) });
    } catch (error) {
      results.push({ error: String((error && error.message) || error) });
    }
  }
  return results;
}

let text = '';
process.stdin.on('data', (chunk) => (text += chunk));
process.stdin.on('end', async () => process.stdout.write(JSON.stringify(await compileAll(JSON.parse(text)))));
