'use strict';
// Command lines of the scripts here: `--name value` pairs over a table of defaults.

/**
 * Read `argv` over `defaults`. A value is taken as a number where its default is one.
 * Throws on a name that is not in `defaults`, so that a typing mistake is not a silent default.
 */
function readOptions (argv, defaults) {
  const options = { ...defaults };
  for (let i = 0; i < argv.length; i += 2) {
    const name = argv[i].replace(/^--/, '').replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
    if (!argv[i].startsWith('--') || !(name in defaults)) throw new Error(`unknown option ${argv[i]}`);
    if (argv[i + 1] === undefined) throw new Error(`${argv[i]} needs a value`);
    options[name] = typeof defaults[name] === 'number' ? Number(argv[i + 1]) : argv[i + 1];
    if (Number.isNaN(options[name])) throw new Error(`${argv[i]} needs a number, not ${argv[i + 1]}`);
  }
  return options;
}

module.exports = { readOptions };
