// node compile.js COMPILER FORMATS OUTPUT SPEC...: Python modules by Kaitai's own compiler, one error a line where it fails.
const fs = require("fs");
const path = require("path");
const { createRequire } = require("module");

const [compilerFolder, formats, output, ...specs] = process.argv.slice(2);
const fromCompiler = createRequire(path.join(compilerFolder, "package.json"));
const yaml = fromCompiler("js-yaml");
const compiler = fromCompiler("kaitai-struct-compiler");

// Later versions of the library read merges ("<<"), which are of YAML 1.1, only if asked to.
const schema = yaml.mergeTag ? yaml.CORE_SCHEMA.withTags([yaml.mergeTag]) : yaml.DEFAULT_SCHEMA;
const load = (file) => yaml.load(fs.readFileSync(file, "utf8"), { schema });

// Kaitai's compiler says how an import was written, but of a relative one not from where.
function importerFor(spec) {
  const folders = new Set([path.dirname(spec), formats]);
  return {
    importYaml(name) {
      for (const folder of folders) {
        const file = path.join(folder, `${name}.ksy`);
        if (fs.existsSync(file)) {
          folders.add(path.dirname(file));
          return Promise.resolve(load(file));
        }
      }
      return Promise.reject(new Error(`no ${name}.ksy`));
    },
  };
}

async function main() {
  fs.mkdirSync(output, { recursive: true });
  for (const spec of specs) {
    try {
      const files = await compiler.compile("python", load(spec), importerFor(spec), false);
      for (const [name, text] of Object.entries(files)) {
        fs.writeFileSync(path.join(output, path.basename(name)), text);
      }
    } catch (error) {
      console.log(`${path.basename(spec, ".ksy")}: ${String(error.message || error).replace(/\s+/g, " ").trim()}`);
    }
  }
}

main();
